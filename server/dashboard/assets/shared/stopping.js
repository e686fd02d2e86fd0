/** Stopping a job, from wherever it is seen. */

import { api } from "./api.js";
import { title } from "./jobs.js";
import { failure, notice } from "./notice.js";

/** Ask the daemon to stop it; says that it does, or why it could not be asked. */
export async function stopJob(job) {
  try {
    await api.del(`${api.address("jobs", job.id)}?all=true`);
    notice(`Stopping ${title(job)}.`);
  } catch (error) {
    failure(error);
  }
}

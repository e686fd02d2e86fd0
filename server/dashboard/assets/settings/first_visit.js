/** Whether somebody is here for the first time. */

import { api } from "../shared/api.js";

const NAME = "vaider-welcome";
const DISMISSED = "done";

/**
 * Whether nothing was ever done here and the welcome page was never dismissed in this browser.
 * @returns {Promise<boolean>} false also when the daemon does not answer
 */
export async function isFirstVisit() {
  if (isDismissed()) return false;
  try {
    const { jobs } = await api.get("/jobs?brief=true&limit=1");
    return jobs.length === 0;
  } catch {
    return false;
  }
}

/** The welcome page is not shown by itself any more. */
export function dismissWelcome() {
  try {
    localStorage.setItem(NAME, DISMISSED);
  } catch {
    // A browser that keeps nothing shows it once more; that harms nobody.
  }
}

function isDismissed() {
  try {
    return localStorage.getItem(NAME) === DISMISSED;
  } catch {
    return true;
  }
}

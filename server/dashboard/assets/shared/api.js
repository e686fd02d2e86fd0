/** The daemon's public API, as a page of it asks. */

let token = document.querySelector('meta[name="vaider-page"]')?.getAttribute("content") ?? "";

/** What went wrong: one sentence that says what to do, and a stable code; `offline` when the daemon is away. */
export class ApiError extends Error {
  constructor(message, code, status = 0, body = {}) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    this.body = body;
  }
}

export const api = {
  get: (path, options) => ask("GET", path, undefined, options),
  post: (path, body = {}, options) => ask("POST", path, body, options),
  put: (path, body, options) => ask("PUT", path, body, options),
  patch: (path, body, options) => ask("PATCH", path, body, options),
  del: (path, options) => ask("DELETE", path, undefined, options),
  upload,
  address: (...parts) => "/" + parts.map(encodeURIComponent).join("/"),
};

/**
 * Ask once; a page that an earlier daemon served gets its new token first.
 * @param {{signal?: AbortSignal, headers?: Record<string, string>}} [options]
 */
async function ask(method, path, body, options = {}) {
  const answer = await reach(method, path, body, options);
  if (answer.status !== 403 || (await answer.clone().json().catch(() => ({}))).code !== "stale_page") return read(answer);
  await renew();
  return read(await reach(method, path, body, options));
}

async function reach(method, path, body, options) {
  const headers = { Accept: "application/json", "X-Vaider-Page": token, ...options.headers };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const content = body === undefined ? undefined : JSON.stringify(body);
  try {
    return await fetch(path, { method, headers, body: content, signal: options.signal, cache: "no-store" });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw offline();
  }
}

async function read(answer) {
  if (answer.status === 204) return null;
  const body = await answer.json().catch(() => null);
  if (answer.ok && body !== null) return body;
  throw failed(answer.status, body);
}

async function renew() {
  token = (await read(await reach("GET", "/session", undefined, {}))).page;
}

function failed(status, body) {
  const message = body?.error ?? `The daemon answered ${status} and nothing that can be read.`;
  return new ApiError(message, body?.code ?? "unreadable", status, body ?? {});
}

function offline() {
  return new ApiError("The daemon does not answer; start it with 'vaider serve'. This page goes on by itself then.", "offline");
}

/**
 * Send a file with what to do with it.
 * @param {string} path
 * @param {File} file
 * @param {object} metadata
 * @param {(fraction: number) => void} [onProgress]
 * @param {string} [part] what the form calls the file
 * @returns {Promise<any> & {cancel: () => void}}
 */
function upload(path, file, metadata = {}, onProgress = () => {}, part = "video") {
  // fetch tells nobody how far it has sent.
  const request = new XMLHttpRequest();
  const promise = new Promise((resolve, reject) => {
    request.open("POST", path);
    request.responseType = "json";
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Prefer", "respond-async");
    request.setRequestHeader("X-Vaider-Page", token);
    request.upload.addEventListener("progress", (event) => event.lengthComputable && onProgress(event.loaded / event.total));
    request.addEventListener("load", () => {
      if (request.status < 300) resolve(request.response);
      else reject(failed(request.status, request.response));
    });
    request.addEventListener("error", () => reject(offline()));
    request.addEventListener("abort", () => reject(new ApiError("The upload was cancelled.", "cancelled")));
    const form = new FormData();
    form.append("metadata", new Blob([JSON.stringify(metadata)], { type: "application/json" }));
    form.append(part, file, file.name);
    request.send(form);
  });
  return Object.assign(promise, { cancel: () => request.abort() });
}

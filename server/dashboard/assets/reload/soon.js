/** Doing something once for many events. */

/**
 * A function that does it a little later, once for all calls until then.
 * @param {() => unknown} task
 * @param {number} ms
 * @returns {() => void}
 */
export function soon(task, ms) {
  let timer = 0;
  return () => {
    if (timer !== 0) return;
    timer = setTimeout(() => {
      timer = 0;
      task();
    }, ms);
  };
}

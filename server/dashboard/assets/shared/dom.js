/** Elements made by hand: all text is text, nothing ever becomes markup. */

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "selected", "open", "indeterminate", "readOnly"]);

/**
 * An element.
 * @param {string} tag
 * @param {Record<string, any>} [props] attributes; `on` holds listeners, `dataset` data attributes; null and false are left out
 * @param {...(Node|string|number|null|undefined|false|Array)} children strings become text
 * @returns {HTMLElement}
 */
export function h(tag, props = {}, ...children) {
  return furnish(document.createElement(tag), props, children);
}

/** The same for SVG. @returns {SVGElement} */
export function svg(tag, props = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), props, children);
}

/** Put other children in the place of those that a node has. */
export function fill(node, ...children) {
  node.replaceChildren(...nodes(children));
  return node;
}

/** The element of that id; the page's own HTML has it. */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Bring a container's children in line with a list, and keep the nodes of what stays: with them focus, scroll and state.
 * @param {Element} container
 * @param {Iterable<any>} items
 * @param {(item: any) => string|number} key
 * @param {(item: any) => Element} make
 * @param {(element: Element, item: any) => void} [update]
 */
export function keyed(container, items, key, make, update = () => {}) {
  const known = new Map([...container.children].map((child) => [child.dataset.key, child]));
  let place = container.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let element = known.get(name);
    known.delete(name);
    if (element === undefined) {
      element = make(item);
      element.dataset.key = name;
    }
    update(element, item);
    if (element === place) place = place.nextElementSibling;
    else container.insertBefore(element, place);
  }
  for (const gone of known.values()) gone.remove();
}

/** An address that may be linked to: of the web, or of our own; else null. */
export function link(address) {
  try {
    const url = new URL(String(address), location.origin);
    return ["http:", "https:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** The last part of this page's own path, e.g. a job's id. */
export function subject() {
  return decodeURIComponent(location.pathname.split("/").filter(Boolean).at(-1) ?? "");
}

function furnish(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (PROPERTIES.has(name)) element[name] = value;
    else if (value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...nodes(children));
  return element;
}

function nodes(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

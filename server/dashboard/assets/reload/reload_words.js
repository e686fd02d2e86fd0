/** What a kept action does, as a person would say it. */

const VERBS = {
  left_click: "Click", right_click: "Right-click", middle_click: "Middle-click", double_click: "Double-click",
  triple_click: "Triple-click", left_mouse_down: "Press the mouse", left_mouse_up: "Let go of the mouse", left_click_drag: "Drag",
  mouse_move: "Point", scroll: "Scroll", hscroll: "Scroll sideways", type: "Type", key: "Press", open_url: "Open",
  open_app: "Start", close_app: "Close", read: "Read", wait: "Wait",
};

/**
 * The words of the API, which name the action as models do, with the target's own words where it has any.
 * @param {{words: string, target: string}} action
 */
export function actionWords({ words, target }) {
  const [, name, rest] = /^([a-z_]+)\b(?!:)(.*)$/s.exec(words) ?? [];
  if (!Object.hasOwn(VERBS, name ?? "")) return words;
  // Where it was matters only while nothing else says what it was.
  return target ? `${VERBS[name]} “${target}”${rest.replace(/^ at \(.*?\)/, "")}` : `${VERBS[name]}${rest}`;
}

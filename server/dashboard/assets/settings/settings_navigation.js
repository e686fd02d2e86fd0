/** The settings page's own navigation: where one is, and links that lead into what is built later. */

const ABOVE_PX = 200;

/** @returns {{arrive: () => void}} `arrive` once the settings are there, which a link may lead to */
export function settingsNavigation() {
  const links = [...document.querySelectorAll(".settings-nav a")];
  const sections = links.map((each) => document.querySelector(each.getAttribute("href")));
  const mark = () => {
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 4;
    const passed = sections.filter((section) => section.getBoundingClientRect().top < ABOVE_PX);
    const here = atEnd && scrollY > 0 ? sections.at(-1) : passed.at(-1) ?? sections[0];
    links.forEach((each, at) => {
      if (sections[at] === here) each.setAttribute("aria-current", "true");
      else each.removeAttribute("aria-current");
    });
  };
  addEventListener("scroll", mark, { passive: true });
  addEventListener("resize", mark, { passive: true });
  addEventListener("hashchange", lead);
  mark();
  stay(() => {
    lead();
    mark();
  });
  return { arrive: lead };
}

/** What comes later must not push away what was asked for; until somebody goes elsewhere. */
function stay(again) {
  const grown = new ResizeObserver(again);
  const leave = () => grown.disconnect();
  grown.observe(document.querySelector(".settings-body"));
  for (const event of ["wheel", "touchmove", "keydown", "pointerdown"]) addEventListener(event, leave, { once: true, passive: true });
}

function lead() {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id === "" ? null : document.getElementById(id);
  if (target === null) return;
  const group = target.closest("details");
  if (group !== null) group.open = true;
  target.scrollIntoView();
}

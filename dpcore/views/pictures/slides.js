// One step at a time, by keys, buttons and links such as #step-3. Without this script all steps stand below each other.
(() => {
  const steps = [...document.querySelectorAll("section")], bar = document.querySelector("nav");
  const named = () => steps.findIndex(({ id }) => `#${id}` === location.hash);
  let at = Math.max(0, named());
  function show(next, moved = true) {
    at = Math.min(Math.max(next, 0), steps.length - 1);
    steps.forEach((step, number) => (step.hidden = number !== at));
    bar.querySelector("span").textContent = `${at + 1} / ${steps.length}`;
    const [back, on] = bar.querySelectorAll("button");
    back.disabled = at === 0;
    on.disabled = at === steps.length - 1;
    if (!moved) return;
    history.replaceState(null, "", `#${steps[at].id}`);
    scrollTo(0, 0);
  }
  const keys = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -1e9, End: 1e9 };
  addEventListener("keydown", (event) => {
    const by = keys[event.key];
    if (by === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " " && event.target.closest("button")) return;
    // Where a step is longer than the screen, up and down scroll it.
    const long = document.documentElement.scrollHeight > innerHeight + 4;
    if (long && ["ArrowDown", "ArrowUp", "PageDown", "PageUp", " "].includes(event.key)) return;
    event.preventDefault();
    show(at + by);
  });
  bar.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) show(at + Number(button.dataset.by));
  });
  addEventListener("hashchange", () => { if (named() >= 0) show(named(), false); });
  document.documentElement.classList.add("playing");
  bar.hidden = false;
  show(at, false);
})();

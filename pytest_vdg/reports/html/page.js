"use strict";
// Shows the questions of a report. All texts of others are put in as text, never
// as markup; nothing is fetched.
(() => {
  const form = document.getElementById("filters");
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("details")) each.open = true;
  });
  if (!form) return;

  const { runs, filters, form: kind } = read("data");
  const images = read("images");
  const list = document.getElementById("list");
  const detail = document.getElementById("detail");
  const found = document.getElementById("found");
  const PAGE = 200;
  const SIGNS = { correct: "\u2713", wrong: "\u2717", unparsed: "?", failed: "!", not_applicable: "\u2013" };
  const WORDS = { not_applicable: "not applicable" };
  let run = 0, shown = [], limit = PAGE, current = null;

  const make = (tag, values = {}, ...children) => {
    const { classes, ...rest } = values;
    const element = document.createElement(tag);
    if (classes) element.className = classes;
    for (const [name, value] of Object.entries(rest)) {
      if (value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };
  const word = (outcome) => WORDS[outcome] || outcome;
  // Half of a pair of surrogates, as an odd file may hold, cannot stand in a link.
  const linked = (id) => id.replace(/\p{Surrogate}/gu, "\ufffd");
  const hash = (at, id) => `#q/${at}/${encodeURIComponent(linked(id))}`;
  const said = (question) => question.text === null ? question.id : question.text;

  // What is searched, made when it is first needed.
  const haystack = (question) => {
    if (question.hay === undefined) {
      const cells = question.cells.flatMap((cell) => [cell.reply, cell.why]);
      const parts = [question.id, question.video, question.task, question.text, ...question.options.flat(), ...cells];
      question.hay = parts.filter(Boolean).join("\n").toLowerCase();
    }
    return question.hay;
  };

  const marks = () => [...form.elements.mark].filter((box) => box.checked).map((box) => box.value);
  const matching = () => {
    const wanted = marks(), task = form.elements.task.value;
    const text = form.elements.text.value.trim().toLowerCase();
    return runs[run].questions.filter((question) =>
      (!task || "=" + question.task === task) &&
      (!wanted.length || wanted.some((mark) => question.marks.includes(mark))) &&
      (!text || haystack(question).includes(text)));
  };

  const dots = (question) => {
    const conditions = runs[run].conditions;
    const box = make("span", { classes: "dots" });
    question.cells.forEach((cell, i) => {
      box.append(make("span", { classes: cell.outcome, title: `${conditions[i]}: ${word(cell.outcome)}`, "aria-hidden": "true" }, SIGNS[cell.outcome]));
    });
    return box;
  };

  const row = (question) => make("li", {}, make("a", { href: hash(run, question.id), tabindex: "-1", "data-id": question.id },
    make("span", { classes: "row" }, make("bdi", {}, question.task), dots(question)),
    make("bdi", { classes: "said" }, said(question))));

  const fill = () => {
    shown = matching();
    const total = runs[run].questions.length;
    found.textContent = `${shown.length} of ${total} questions`;
    list.replaceChildren(...shown.slice(0, limit).map(row));
    if (shown.length > limit) {
      const more = make("button", { type: "button" }, `Show ${Math.min(PAGE, shown.length - limit)} more`);
      more.addEventListener("click", () => { const at = limit; limit += PAGE; fill(); focusRow(at); });
      list.append(make("li", {}, more));
    }
    point();
  };

  const links = () => [...list.querySelectorAll("a")];
  // One question can be reached by Tab: the one that is open, else the first.
  const point = () => {
    const all = links();
    for (const link of all) {
      const own = current !== null && link.dataset.id === current;
      if (own) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
      link.tabIndex = own ? 0 : -1;
    }
    if (all.length && !all.some((link) => link.tabIndex === 0)) all[0].tabIndex = 0;
  };
  // Scrolls the list and not the page.
  const reveal = (link) => {
    const box = list.getBoundingClientRect(), row = link.getBoundingClientRect();
    if (row.top < box.top || row.bottom > box.bottom) {
      list.scrollTop += row.top - box.top - list.clientHeight / 3;
    }
  };
  const focusRow = (at) => { const link = links()[at]; if (link) link.focus(); };

  const strip = (cell) => {
    if (cell.shown) {
      const frames = cell.shown.map((number, i) => make("li", {}, make("img", {
        src: `data:image/${kind};base64,${images[number]}`, loading: "lazy",
        alt: `frame ${i + 1} of ${cell.shown.length}, at ${cell.times[i].toFixed(2)} s`,
        title: `${cell.times[i].toFixed(2)} s`,
      })));
      const some = cell.shown.length < cell.frames ? make("p", {}, `${cell.shown.length} of ${cell.frames} frames shown`) : null;
      return [make("ol", { classes: "frames", "aria-label": "Frames" }, ...frames), some];
    }
    const why = cell.blank || runs[run].pictures || "left out to keep the page small";
    return [make("p", { classes: "missing" }, "No frames: ", make("bdi", {}, why))];
  };

  const answers = (question, cell) => {
    if (!cell.p) return null;
    const box = make("div", { classes: "bars" });
    question.options.forEach(([label], i) => {
      const p = cell.p[i], chosen = label === cell.choice;
      const bar = make("i", {});
      bar.style.width = `${100 * (p || 0)}%`;
      box.append(
        make("span", { classes: label === question.key ? "is-key" : null }, `${label}${chosen ? " \u25c0" : ""}`),
        make("span", { classes: chosen ? "bar chosen" : "bar", "aria-hidden": "true" }, bar),
        make("span", {}, p === null ? "-" : `${(100 * p).toFixed(1)}%`));
    });
    return box;
  };

  const before = (cell, question) => {
    if (!cell.then) return null;
    const [outcome, choice] = cell.then;
    const what = choice === null ? word(outcome) : `${choice}, ${word(outcome)}`;
    return make("p", {}, "Baseline: ", make("span", { classes: outcome }, `${SIGNS[outcome]} ${what}`));
  };

  const card = (question, cell, condition) => make("section", { classes: "cell", "aria-label": condition },
    make("h4", {}, make("bdi", {}, condition), make("span", { classes: cell.outcome }, `${SIGNS[cell.outcome]} ${word(cell.outcome)}`)),
    ...strip(cell),
    make("p", {}, "Answer: ", make("strong", {}, cell.choice === undefined ? "none" : cell.choice)),
    answers(question, cell),
    cell.mass !== undefined && cell.mass < 0.99 ? make("p", {}, `The labels together had ${(100 * cell.mass).toFixed(1)}%.`) : null,
    before(cell, question),
    cell.reply === undefined ? null : make("details", {}, make("summary", {}, "Reply"), make("pre", { dir: "auto" }, cell.reply)),
    cell.why === undefined ? null : make("p", { classes: "missing" }, make("bdi", {}, cell.why)));

  const turn = (by, words) => {
    const button = make("button", { type: "button" }, words);
    button.addEventListener("click", () => go(by, false));
    return button;
  };

  const open = (question) => {
    const { conditions } = runs[run];
    current = question.id;
    const options = question.options.map(([label, text]) => {
      const right = label === question.key;
      return make("li", { classes: right ? "key" : null }, `${label}${text === null ? "" : ". "}`, text === null ? "" : make("bdi", {}, text), right ? " \u2713 key" : "");
    });
    const children = [
      make("p", { classes: "about" }, make("bdi", {}, question.id), " \u00b7 ", make("bdi", {}, question.task), " \u00b7 ", make("bdi", {}, question.video)),
      make("p", { classes: "text" }, question.text === null ? "The text of this question is not at hand." : question.text),
      make("ul", { classes: "options" }, ...options),
      question.marks.length ? make("ul", { classes: "marks" }, ...question.marks.map((mark) => make("li", {}, filters[mark]))) : null,
      make("div", { classes: "cells" }, ...question.cells.map((cell, i) => card(question, cell, conditions[i]))),
      make("div", { classes: "pages" }, turn(-1, "\u2190 Previous"), turn(1, "Next \u2192")),
    ];
    detail.replaceChildren(...children.filter((child) => child !== null));
    point();
  };

  // Opens the next question, or the one before, of those that were found.
  const go = (by, focus) => {
    const at = shown.findIndex((question) => question.id === current);
    const next = at < 0 ? (by > 0 ? 0 : -1) : at + by;
    if (!(next in shown)) return;
    if (next >= limit) { limit = next + PAGE; fill(); }
    history.replaceState(null, "", hash(run, shown[next].id));
    open(shown[next]);
    const link = links()[next];
    if (focus) link.focus();
    reveal(link);
  };

  const tallies = () => {
    for (const box of form.elements.mark) {
      const number = runs[run].questions.filter((question) => question.marks.includes(box.value)).length;
      const lacking = runs[run].baseline === null && ["lost", "gained"].includes(box.value);
      box.disabled = lacking;
      if (lacking) box.checked = false;
      const tally = form.querySelector(`.tally[data-mark="${box.value}"]`);
      tally.textContent = lacking ? "-" : `(${number})`;
      box.closest("label").title = lacking ? runs[run].without : "";
    }
  };

  const choose = (at) => {
    run = at;
    current = null;
    form.elements.run.value = String(at);
    const tasks = [...new Set(runs[run].questions.map((question) => question.task))];
    form.elements.task.replaceChildren(make("option", { value: "" }, "all tasks"), ...tasks.map((task) => make("option", { value: "=" + task }, task)));
    tallies();
    limit = PAGE;
    detail.replaceChildren();
    fill();
  };

  const follow = () => {
    const match = /^#q\/(\d+)\/(.*)$/.exec(location.hash);
    if (!match) return false;
    let id;
    try { id = decodeURIComponent(match[2]); } catch { return false; }
    const at = Number(match[1]);
    const question = runs[at] && runs[at].questions.find((each) => linked(each.id) === id);
    if (!question) { found.textContent = "There is no such question in this report."; return false; }
    if (at !== run) choose(at);
    if (!shown.includes(question)) { form.reset(); form.elements.run.value = String(run); fill(); }
    const place = shown.indexOf(question);
    if (place >= limit) { limit = place + PAGE; fill(); }
    open(question);
    reveal(links()[place]);
    return true;
  };

  const narrow = () => matchMedia("(max-width: 50rem)").matches;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    if (event.target.name === "run") { choose(Number(event.target.value)); return; }
    limit = PAGE;
    fill();
  });
  form.addEventListener("reset", () => setTimeout(() => { form.elements.run.value = String(run); limit = PAGE; fill(); }));
  addEventListener("hashchange", () => { if (follow() && narrow()) detail.scrollIntoView(); });
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const typing = event.target.closest("input, select, textarea, pre, .scroll");
    if (event.key === "/" && !typing) { event.preventDefault(); form.elements.text.focus(); return; }
    if (typing) return;
    const inList = list.contains(event.target);
    const down = event.key === "j" || (inList && event.key === "ArrowDown");
    const up = event.key === "k" || (inList && event.key === "ArrowUp");
    if (!down && !up) return;
    event.preventDefault();
    go(down ? 1 : -1, inList);
  });

  form.hidden = false;
  choose(0);
  if (follow()) (narrow() ? detail : document.getElementById("questions")).scrollIntoView();
})();

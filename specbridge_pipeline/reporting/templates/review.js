(function () {
  "use strict";
  var body = document.body;
  var sections = Array.prototype.slice.call(document.querySelectorAll("section.item"));
  var source = body.dataset.source;
  var pass = body.dataset.pass;
  var noun = body.dataset.noun;
  var columns = body.dataset.columns.split(",");
  var store = openStore();
  var reviewer = "";
  var state = fresh();
  var waiting = false; // A decision is made and its comment is being written.
  function at(id) {
    return document.getElementById(id);
  }

  // What is kept lies in the browser's storage, or in memory where that is refused.
  function openStore() {
    var memory = {};
    var kept = true;
    try {
      window.localStorage.setItem("specbridge-review/probe", "1");
      window.localStorage.removeItem("specbridge-review/probe");
    } catch (refused) {
      kept = false;
    }
    return {
      get: function (key) {
        return kept ? window.localStorage.getItem(key) : memory.hasOwnProperty(key) ? memory[key] : null;
      },
      set: function (key, value) {
        memory[key] = value;
        if (kept) {
          try {
            window.localStorage.setItem(key, value);
          } catch (full) {
            kept = false;
          }
        }
        at("kept").textContent = kept ? "" : "Not kept in this browser: download before you close.";
      },
    };
  }
  function fresh() {
    return { decisions: {}, comments: {}, history: [], shown: "", file: "" };
  }
  function stateKey() {
    return "specbridge-review/" + JSON.stringify([source, pass, reviewer]);
  }
  function isRecord(value) {
    return value !== null && typeof value === "object" && !Array.isArray(value);
  }
  function load() {
    state = fresh();
    try {
      var found = JSON.parse(store.get(stateKey()));
      if (isRecord(found) && isRecord(found.decisions) && isRecord(found.comments)) {
        state.decisions = found.decisions;
        state.comments = found.comments;
        state.history = Array.isArray(found.history) ? found.history : [];
        state.shown = found.shown;
        state.file = typeof found.file === "string" ? found.file : "";
      }
    } catch (unreadable) {
      state = fresh();
    }
  }
  function save() {
    store.set(stateKey(), JSON.stringify(state));
  }

  function place() {
    var found = sections.findIndex(function (section) {
      return section.dataset.set === state.shown;
    });
    return found < 0 ? 0 : found;
  }
  // A decision counts only while the set is what was seen when it was made.
  function decisionOf(section) {
    var id = section.dataset.set;
    var found = Object.prototype.hasOwnProperty.call(state.decisions, id) ? state.decisions[id] : null;
    return found && found.digest === section.dataset.digest ? found : null;
  }
  function commentOf(id) {
    return Object.prototype.hasOwnProperty.call(state.comments, id) ? state.comments[id] : "";
  }
  function words(decision) {
    return decision.verdict === "accept" ? "accepted" : "rejected: " + decision.reason;
  }
  function undecidedAfter(start) {
    for (var step = 1; step <= sections.length; step += 1) {
      var next = (start + step) % sections.length;
      if (!decisionOf(sections[next])) {
        return next;
      }
    }
    return -1;
  }

  function show(number, message) {
    if (!sections.length) {
      return;
    }
    number = Math.max(0, Math.min(sections.length - 1, number));
    var moved = state.shown !== sections[number].dataset.set;
    waiting = false;
    state.shown = sections[number].dataset.set;
    sections.forEach(function (section, index) {
      section.hidden = index !== number;
    });
    choosing(false);
    arrange();
    if (moved) {
      window.scrollTo(0, 0);
    }
    save();
    draw(message);
  }
  // On a narrow screen both results stand side by side where neither is cut off so.
  function arrange() {
    var section = sections[place()];
    var sides = section.querySelector(".sides");
    sides.classList.remove("stacked");
    var cut = Array.prototype.some.call(section.querySelectorAll(".beside > .scroll"), function (result) {
      return result.scrollWidth > result.clientWidth + 1;
    });
    sides.classList.toggle("stacked", cut);
  }
  function draw(message) {
    var number = place();
    var section = sections[number];
    var decided = sections.map(decisionOf).filter(Boolean);
    var accepted = decided.filter(function (decision) {
      return decision.verdict === "accept";
    }).length;
    at("progress").textContent = number + 1 + " of " + sections.length;
    at("tally").textContent =
      decided.length + " decided: " + accepted + " accepted, " + (decided.length - accepted) + " rejected";
    at("bar-done").style.width = (100 * decided.length) / sections.length + "%";
    at("bar").setAttribute("aria-valuenow", decided.length);
    var decision = decisionOf(section);
    var mark = section.querySelector(".state");
    mark.textContent = decision ? words(decision) : "";
    mark.className = "state" + (decision ? " " + decision.verdict : "");
    var comment = commentOf(section.dataset.set);
    at("comment").value = comment;
    at("comment-box").hidden = !comment && !waiting;
    document.querySelectorAll("#verdicts button").forEach(function (button) {
      var key = button.dataset.key;
      button.classList.toggle(
        "chosen",
        Boolean(decision) && key === (decision.verdict === "accept" ? "a" : "r")
      );
    });
    at("message").textContent = message;
    at("finished").hidden = decided.length < sections.length;
    at("finished-words").textContent =
      "All " + sections.length + " " + noun + "s are decided: " + accepted + " accepted, " +
      (decided.length - accepted) + " rejected.";
    at("finished-file").textContent = state.file
      ? "Downloaded as " + state.file + "."
      : "Download them, and hand the file in.";
  }
  function choosing(on) {
    at("reasons").hidden = !on;
    at("verdicts").hidden = on;
    if (on) {
      at("message").textContent = "";
    }
  }
  function explain(on) {
    at("criterion").hidden = !on;
    at("help").setAttribute("aria-expanded", String(on));
    if (on) {
      window.scrollTo(0, 0);
    }
  }
  function decide(verdict, reason) {
    var section = sections[place()];
    var before = decisionOf(section);
    state.history.push({ set: section.dataset.set, before: before });
    state.decisions[section.dataset.set] = {
      digest: section.dataset.digest,
      verdict: verdict,
      reason: reason,
    };
    state.file = "";
    choosing(false);
    save();
    if (reason === "other" && !commentOf(section.dataset.set)) {
      waiting = true;
      draw("Rejected. Say why.");
      openComment();
      return;
    }
    advance(before !== null);
  }
  // On to the next set that is open; after a change of mind, to the next one.
  function advance(changed) {
    var number = place();
    var said = noun.charAt(0).toUpperCase() + noun.slice(1) + " " + (number + 1) + " " + words(decisionOf(sections[number])) + ". Undo (u) takes it back.";
    var next = changed ? Math.min(number + 1, sections.length - 1) : undecidedAfter(number);
    show(next < 0 ? number : next, said);
  }
  function undo() {
    var last = state.history.pop();
    var number = last
      ? sections.findIndex(function (section) {
          return section.dataset.set === last.set;
        })
      : -1;
    if (number < 0) {
      draw("There is nothing to undo.");
      return;
    }
    if (last.before) {
      state.decisions[last.set] = last.before;
    } else {
      delete state.decisions[last.set];
    }
    state.file = "";
    show(number, "Undone.");
  }
  // A set on; at an end it says so.
  function step(by) {
    var number = place() + by;
    var open = sections.length - sections.map(decisionOf).filter(Boolean).length;
    var end = number < 0 ? "first" : number >= sections.length ? "last" : "";
    show(number, end ? "This is the " + end + " " + noun + "; " + (open || "none") + " left to decide." : "");
  }
  function openComment() {
    at("comment-box").hidden = false;
    at("comment").focus();
  }
  function closeComment() {
    at("comment").blur();
    if (waiting) {
      waiting = false;
      advance(false);
    } else {
      draw("");
    }
  }

  function cell(text) {
    return /[",\r\n]/.test(text) || text !== text.trim() ? '"' + text.replace(/"/g, '""') + '"' : text;
  }
  function csv() {
    var lines = [columns];
    sections.forEach(function (section) {
      var decision = decisionOf(section);
      if (decision) {
        var values = {
          digest: section.dataset.digest,
          reviewer: reviewer,
          pass: pass,
          verdict: decision.verdict,
          reason: decision.reason,
          comment: commentOf(section.dataset.set),
        };
        values[body.dataset.id] = section.dataset.set;
        lines.push(
          columns.map(function (name) {
            return cell(values[name]);
          })
        );
      }
    });
    return lines
      .map(function (line) {
        return line.join(",") + "\n";
      })
      .join("");
  }
  function download() {
    var name = reviewer.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "reviewer";
    var link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv;charset=utf-8" }));
    link.download = "review-" + source + "-pass-" + pass + "-" + name + ".csv";
    link.click();
    setTimeout(function () {
      URL.revokeObjectURL(link.href);
    }, 10000);
    state.file = link.download;
    save();
    draw("Downloaded " + link.download + ".");
  }

  function press(key) {
    var reason = document.querySelector('#reasons button[data-key="' + key + '"][data-reason]');
    if (/^[1-9]$/.test(key) && reason) {
      decide("reject", reason.dataset.reason);
    } else if (key === "a") {
      decide("accept", "");
    } else if (key === "r") {
      choosing(at("reasons").hidden);
    } else if (key === "Escape") {
      if (waiting || document.activeElement === at("comment")) {
        closeComment();
      } else {
        choosing(false);
        explain(false);
      }
    } else if (key === "?" || key === "h") {
      explain(at("criterion").hidden);
    } else if (key === "t") {
      openComment();
    } else if (key === "u") {
      undo();
    } else if (key === "n" || key === "ArrowRight") {
      step(1);
    } else if (key === "p" || key === "ArrowLeft") {
      step(-1);
    } else if (key === "g") {
      var undecided = undecidedAfter(place());
      show(undecided < 0 ? place() : undecided, undecided < 0 ? "No " + noun + " is left to decide." : "");
    } else if (key === "d") {
      download();
    } else {
      return false;
    }
    return true;
  }
  function ask() {
    at("main").hidden = true;
    at("actions").hidden = true;
    at("top").hidden = true;
    at("who").hidden = false;
    at("name").value = reviewer;
    at("name").focus();
  }
  function begin(name) {
    reviewer = name;
    store.set("specbridge-review/reviewer", name);
    load();
    at("who").hidden = true;
    at("help").hidden = !sections.length;
    at("main").hidden = false;
    at("actions").hidden = !sections.length;
    at("download").hidden = !sections.length;
    at("top").hidden = false;
    at("reviewer").textContent = name;
    show(place(), "");
  }

  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey && event.key === "Enter" && event.target === at("comment")) {
      closeComment();
      return;
    }
    if (event.key === "Escape" && at("main").hidden && reviewer) {
      begin(reviewer);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || at("main").hidden) {
      return;
    }
    if (event.target === at("comment")) {
      if (event.key === "Escape") {
        closeComment();
      }
      return;
    }
    // A key that is held down must not decide on one set after another.
    if (event.repeat && !/^(n|p|Arrow.*)$/.test(event.key)) {
      return;
    }
    // The arrows scroll what has the focus, if it is wide.
    var wide = event.target.closest && event.target.closest(".scroll, pre");
    if (/^Arrow/.test(event.key) && wide && wide.scrollWidth > wide.clientWidth) {
      return;
    }
    if (sections.length && press(event.key.length === 1 ? event.key.toLowerCase() : event.key)) {
      event.preventDefault();
    }
  });
  document.addEventListener("click", function (event) {
    var button = event.target.closest("button[data-key]");
    if (button) {
      button.blur();
      press(button.dataset.key);
    }
  });
  // A button beside the comment must not take its focus: the box would close before the click.
  at("comment-box").addEventListener("mousedown", function (event) {
    if (event.target.closest("button")) {
      event.preventDefault();
    }
  });
  at("comment").addEventListener("input", function () {
    state.file = "";
    state.comments[sections[place()].dataset.set] = at("comment").value.trim();
    save();
  });
  at("comment").addEventListener("blur", function () {
    at("comment-box").hidden = !at("comment").value.trim();
  });
  at("download").addEventListener("click", download);
  at("reviewer").addEventListener("click", ask);
  at("who").addEventListener("submit", function (event) {
    event.preventDefault();
    var name = at("name").value.trim().replace(/\s+/g, " ");
    if (name) {
      begin(name);
    }
  });
  window.addEventListener("resize", function () {
    if (sections.length && !at("main").hidden) {
      arrange();
    }
  });
  window.addEventListener("storage", function (event) {
    if (reviewer && event.key === stateKey() && event.newValue) {
      var shown = state.shown;
      load();
      state.shown = shown;
      draw("Another window has gone on with this review.");
    }
  });

  var known = store.get("specbridge-review/reviewer");
  if (known) {
    begin(known);
  } else {
    ask();
  }
})();

(function () {
  "use strict";
  var form = document.getElementById("section-filters");
  var sets = Array.prototype.slice.call(document.querySelectorAll("details.set"));
  var shown = document.getElementById("section-shown");
  function value(name) {
    return form.elements[name].value;
  }
  function fits(set) {
    var who = value("respondent");
    var outcome = value("outcome");
    var found = set.dataset.found.split(" ");
    return (
      (!value("database") || set.dataset.database === value("database")) &&
      (!value("choice") || set.dataset.choice === value("choice")) &&
      (!outcome ||
        found.some(function (entry) {
          var cut = entry.indexOf(":");
          return entry.slice(cut + 1) === outcome && (!who || entry.slice(0, cut) === who);
        }))
    );
  }
  function filter() {
    var count = 0;
    sets.forEach(function (set) {
      set.hidden = !fits(set);
      count += set.hidden ? 0 : 1;
    });
    shown.textContent = "Showing " + count + " of " + sets.length + " sets";
  }
  function openTarget() {
    var target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var node = target; node; node = node.parentElement) {
      if (node.tagName === "DETAILS") {
        node.open = true;
        node.hidden = false;
      }
    }
    if (target) {
      target.scrollIntoView();
    }
  }
  form.hidden = false;
  form.addEventListener("change", filter);
  form.addEventListener("reset", function () {
    setTimeout(filter, 0);
  });
  form.addEventListener("submit", function (event) {
    event.preventDefault();
  });
  filter();
  window.addEventListener("hashchange", openTarget);
  openTarget();
})();

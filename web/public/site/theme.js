// A classic script that runs before the first paint, so that nothing flashes. The policy allows no inline script.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem('theme');
  } catch {
    // Storage is blocked, so the theme of the system applies.
  }
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen;
})();

// Runs before the first paint. The console keeps the choice up to date afterwards (light, dark or auto).
(function () {
  var theme = null;
  try {
    theme = localStorage.getItem('color-scheme');
  } catch {
    // Storage may be blocked: then the system decides.
  }
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
})();

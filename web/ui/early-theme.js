// Runs before the first paint, so that the wrong theme never flashes.
(() => {
  try {
    const chosen = localStorage.getItem('zoo-theme');
    if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage is disabled: use the system's theme.
  }
})();

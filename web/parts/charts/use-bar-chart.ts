import { useEffect, useState } from 'react';

type Chart = typeof import('./bar-chart.tsx').BarChart;

/** Loads the chart code on demand. The rest of the screen works without it. */
export function useBarChart(): Chart | 'loading' | 'failed' {
  const [chart, setChart] = useState<{ draw: Chart | 'loading' | 'failed' }>({ draw: 'loading' });
  useEffect(() => {
    const load = async () => {
      ensureValidLanguage();
      const { BarChart } = await import('./bar-chart.tsx');
      setChart({ draw: BarChart });
    };
    load().catch(() => setChart({ draw: 'failed' }));
  }, []);
  return chart.draw;
}

/** Works around Chromium under the POSIX locale: its language is invalid, and uPlot creates a formatter on load. */
function ensureValidLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
  }
}

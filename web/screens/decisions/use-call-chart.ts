import { useEffect, useState } from 'react';

type CallChart = typeof import('./call-chart.tsx').CallChart;

/** The drawing code comes when it is needed. `'failed'`: it did not, and the rest of the screen goes on without it. */
export function useCallChart(): CallChart | 'loading' | 'failed' {
  const [chart, setChart] = useState<{ draw: CallChart | 'loading' | 'failed' }>({ draw: 'loading' });
  useEffect(() => {
    const load = async () => {
      nameLanguage();
      const { CallChart } = await import('./call-chart.tsx');
      setChart({ draw: CallChart });
    };
    load().catch(() => setChart({ draw: 'failed' }));
  }, []);
  return chart.draw;
}

/** Under the POSIX locale Chromium names a language that no formatter takes, and uPlot makes a formatter as it loads. */
function nameLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
  }
}

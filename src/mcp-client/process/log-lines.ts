const maxCharacters = 2_000;
const perSecond = 100;

export type LogLines = (level: string, text: string) => void;

/** Hands lines on, each cut to a length, and at most so many in a second: a server that writes without end fills nothing. */
export function limitLogLines(onLog: (line: { level: string; text: string }) => void): LogLines {
  let second = 0;
  let count = 0;
  let dropped = 0;
  return (level, text) => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      if (dropped > 0) onLog({ level: 'warning', text: `${dropped} lines in one second were left out.` });
      second = now;
      count = 0;
      dropped = 0;
    }
    count += 1;
    if (count > perSecond) {
      dropped += 1;
      return;
    }
    onLog({ level, text: text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text });
  };
}

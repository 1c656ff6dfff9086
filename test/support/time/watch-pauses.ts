export interface Pauses {
  /** The longest turn of the event loop by the clock, in which other processes take their part. */
  pauseMs: number;
  /** The longest in time that the thread computed. */
  busyMs: number;
}

/** Watches the event loop of the thread that calls it. */
export function watchPauses(): { stop(): Pauses } {
  let pauseMs = 0;
  let busyMs = 0;
  let last = { at: performance.now(), used: process.threadCpuUsage() };
  const look = () => {
    const { user, system } = process.threadCpuUsage(last.used);
    pauseMs = Math.max(pauseMs, performance.now() - last.at);
    busyMs = Math.max(busyMs, (user + system) / 1000);
    last = { at: performance.now(), used: process.threadCpuUsage() };
  };
  const timer = setInterval(look, 1);
  return {
    stop() {
      look();
      clearInterval(timer);
      return { pauseMs, busyMs };
    },
  };
}

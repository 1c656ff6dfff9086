export interface Pauses {
  /** The longest turn of the event loop in wall-clock time, which includes the time of other processes. */
  pauseMs: number;
  /** The longest turn in CPU time of the thread. */
  busyMs: number;
}

/** Watches the event loop of the current thread. */
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

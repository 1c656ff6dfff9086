import type { ServerSwitch } from '../server-store.ts';

/** Whether the user has disconnected a server, here or in another process. */
export class FollowedSwitch {
  /** Its tools are hidden until it is connected again. */
  isOff = false;
  readonly #process: string;
  #followed = 0;
  #hasRead = false;

  /** `process` is the name under which this process switches servers itself. */
  constructor(process: string) {
    this.#process = process;
  }

  /** Call it when the store has been read. */
  read(): void {
    this.#hasRead = true;
  }

  /**
   * Returns what this process must do because of a switch in another one. A process that has just started does nothing: it
   * connects when it is asked to.
   */
  follow(last: ServerSwitch | null): ServerSwitch['wish'] | undefined {
    if (!last || last.number <= this.#followed) return undefined;
    this.#followed = last.number;
    if (last.process === this.#process) return undefined;
    this.isOff = last.wish === 'off';
    return this.#hasRead ? last.wish : undefined;
  }
}

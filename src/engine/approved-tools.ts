/**
 * The tools that the user approved for the rest of a conversation. An approval from before the conversation read text from outside
 * does not count afterwards: the user could not know what the agent would read.
 */
export interface ApprovedTools {
  has(tool: string, isAfterReading: boolean): boolean | Promise<boolean>;
  add(tool: string, isAfterReading: boolean): void | Promise<void>;
}

/** The approvals of a session, which end with it. */
export class SessionApprovals implements ApprovedTools {
  /** True if the user approved after the text from outside was read. */
  readonly #tools = new Map<string, boolean>();

  has(tool: string, isAfterReading: boolean): boolean {
    const knew = this.#tools.get(tool);
    return isAfterReading ? knew === true : knew !== undefined;
  }

  add(tool: string, isAfterReading: boolean): void {
    this.#tools.set(tool, isAfterReading || this.#tools.get(tool) === true);
  }
}

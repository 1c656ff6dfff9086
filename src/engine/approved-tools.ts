/**
 * The tools that the user approved for the rest of a session. An approval from before the conversation read text from outside does
 * not count afterwards: the user could not know what the agent would read.
 */
export class ApprovedTools {
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

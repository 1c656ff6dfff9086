/** A call that may be sent twice, for tools that do not keep idempotency keys in a transaction of their own. */
export interface KeyedCall {
  /** The member's id; '' for everybody else. */
  owner: string;
  key: string;
  tool: string;
  input: unknown;
}

/** Remembers the first answer to each idempotency key. */
export interface AnswerMemory {
  /**
   * The first answer, or undefined when this is the first call and is to run now. Throws INVALID_ARGUMENTS when the key stood for
   * another call, TRANSIENT_ERROR while the first one runs, INVALID_AGENT_STATE when a crash left its outcome unknown.
   */
  begin(call: KeyedCall): Promise<object | undefined>;
  keep(call: KeyedCall, answer: object): Promise<void>;
  /** The call failed: the key is free again. */
  release(call: KeyedCall): Promise<void>;
}

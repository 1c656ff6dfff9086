import type { JsonObject } from '../base/json.ts';
import type { Usage } from '../engine/model.ts';

/** Where a conversation came from: a person, the test of a Tools-mode tool, another agent over A2A. */
export type ChatOrigin = { kind: 'chat' } | { kind: 'test'; tool: string; parameters: JsonObject } | { kind: 'a2a' };

/** A conversation that is kept. Its id is the context id of its session. */
export interface Chat {
  id: string;
  agentId: string;
  title: string;
  /** `provider/model` that a person chose; null while the agent's own is used. */
  model: string | null;
  origin: ChatOrigin;
  /** `waiting`: a tool call needs approval. `interrupted`: the process that answered is gone. */
  state: 'idle' | 'answering' | 'waiting' | 'interrupted';
  createdAt: number;
  updatedAt: number;
  /** Of all answers together. */
  usage: Usage;
  /** US dollars; null when a price is not known. */
  cost: number | null;
  /** Number of the newest event. */
  lastSeq: number;
}

import type { GrantStore } from '../agents/agent-grants.ts';
import type { AgentStore } from '../agents/agent-store.ts';
import type { OfferStore } from '../agents/agent-zoo-offer.ts';
import type { WorkspaceStore } from '../agents/workspaces.ts';
import type { Clock } from '../base/clock.ts';
import type { InstallationKeys } from '../base/installation-keys.ts';
import type { SourceProblem } from '../base/source.ts';
import type { BrainStore } from '../brain/brain.ts';
import type { AccessKeyStore } from '../callers/access-keys.store.ts';
import type { ChatGrantStore } from '../chats/chat-grants.ts';
import type { ChatStore } from '../chats/chat-store.ts';
import type { ChangeBus } from '../db/change-bus.ts';
import type { ReadyCheck } from '../db/readiness.ts';
import type { DismissalStore } from '../inbox/dismissals.store.ts';
import type { KnowledgeStore } from '../knowledge/store/knowledge-store.ts';
import type { ClientStore } from '../mcp-server/clients/client-store.ts';
import type { McpSessionStore } from '../mcp-server/sessions/session-store.ts';
import type { StoredRunHistory } from '../runs/runs.ts';
import type { ServerStore } from '../servers/server-store.ts';
import type { SettingStore } from '../settings/settings.ts';
import type { TeamStore } from '../team/team.store.ts';
import type { DecisionHistory } from '../tools/decision-log.ts';
import type { UsageStore } from '../usage/usage.ts';
import type { Vault } from '../vault/vault.ts';

/** The hub's database, with one port for each concept. */
export interface Store {
  readonly kind: 'sqlite' | 'postgres';
  /** For people: the file, or host and database name without credentials. */
  readonly location: string;
  /** The time of everything that is stored. All processes on one database share it. */
  readonly clock: Clock;
  /** The name of this process for the others. */
  readonly holder: string;
  /** Reports the changes of all processes. */
  readonly changes: Pick<ChangeBus, 'on' | 'arrival'>;
  readonly installationKeys: InstallationKeys;
  readonly keys: AccessKeyStore;
  readonly agents: AgentStore;
  readonly grants: GrantStore;
  readonly offers: OfferStore;
  readonly workspaces: WorkspaceStore;
  readonly brain: BrainStore;
  readonly decisions: DecisionHistory;
  readonly knowledge: KnowledgeStore;
  readonly team: TeamStore;
  readonly servers: ServerStore;
  readonly vault: Vault;
  readonly settings: SettingStore;
  readonly usage: UsageStore;
  readonly runs: StoredRunHistory;
  readonly chats: ChatStore;
  readonly chatGrants: ChatGrantStore;
  readonly mcpSessions: McpSessionStore;
  readonly clients: ClientStore;
  readonly dismissals: DismissalStore;
  /** Returns the problems that the user should fix, the worst first: those known without a check and those of the last `readiness`. */
  problems(): SourceProblem[];
  /** Calls back when `problems` has changed. */
  watchProblems(onChange: () => void): () => void;
  /** Checks whether the hub can work with the database now. Never throws, and takes at most two seconds. */
  readiness(): Promise<ReadyCheck[]>;
  close(): Promise<void>;
}

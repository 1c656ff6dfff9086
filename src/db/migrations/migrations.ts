import type { Migration } from 'kysely/migration';
import { firstTables } from './0001-first-tables.ts';
import { knowledgeTables } from './0002-knowledge.ts';
import { teamTables } from './0003-team.ts';
import { decisionLog } from './0004-decision-log.ts';
import { serversAndRuns } from './0005-servers-and-runs.ts';
import { chats } from './0006-chats.ts';
import { decisionGroups } from './0007-decision-groups.ts';
import { runsOfChats } from './0008-runs-of-chats.ts';
import { decisionMinutes } from './0009-decision-minutes.ts';
import { requestedSyncs } from './0010-requested-syncs.ts';
import { eventSubscribers } from './0011-event-subscribers.ts';
import { hubPresence } from './0012-hub-presence.ts';
import { leases } from './0013-leases.ts';
import { noMailboxes } from './0014-no-mailboxes.ts';
import { heldBy } from './0016-held-by.ts';
import { unpublishedChanges } from './0017-unpublished-changes.ts';
import { rowsToGroups } from './0018-rows-to-groups.ts';
import { conversations } from './0019-conversations.ts';
import { approvals } from './0021-approvals.ts';
import { logProofs } from './0022-log-proofs.ts';
import { accessKeys } from './0023-access-keys.ts';
import { workspaces } from './0024-workspaces.ts';
import { mcpSessions } from './0025-mcp-sessions.ts';
import { publishedChanges } from './0026-published-changes.ts';
import { chatApprovals } from './0027-chat-approvals.ts';
import { syncRequests } from './0028-sync-requests.ts';
import { pinsByVersion } from './0029-pins-by-version.ts';
import { processVersions } from './0030-process-versions.ts';
import { settings } from './0031-settings.ts';
import { chatBranches } from './0032-chat-branches.ts';
import { chatAttachments } from './0033-chat-attachments.ts';
import { serverSwitches } from './0034-server-switches.ts';
import { runSteps } from './0035-run-steps.ts';
import { taskPlans } from './0036-task-plans.ts';
import { modelUsage } from './0037-model-usage.ts';
import { inbox } from './0038-inbox.ts';
import { agentTags } from './0039-agent-tags.ts';
import { runCalls } from './0040-run-calls.ts';
import { runArguments } from './0041-run-arguments.ts';

/**
 * Every step from an empty database to this version, in order. A released step never changes; add the next one. From 0025 on, a step
 * only adds what processes of the previous version can ignore, because they keep serving: `additive-migrations.test.ts` checks it.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-first-tables': firstTables,
  '0002-knowledge': knowledgeTables,
  '0003-team': teamTables,
  '0004-decision-log': decisionLog,
  '0005-servers-and-runs': serversAndRuns,
  '0006-chats': chats,
  '0007-decision-groups': decisionGroups,
  '0008-runs-of-chats': runsOfChats,
  '0009-decision-minutes': decisionMinutes,
  '0010-requested-syncs': requestedSyncs,
  '0011-event-subscribers': eventSubscribers,
  '0012-hub-presence': hubPresence,
  '0013-leases': leases,
  '0014-no-mailboxes': noMailboxes,
  // 0015 turned groups of the decision log into rows and was never released. 0018 handles both forms, so 0015 does nothing now.
  '0015-decision-rows': { up: async () => {} },
  '0016-held-by': heldBy,
  '0017-unpublished-changes': unpublishedChanges,
  '0018-rows-to-groups': rowsToGroups,
  '0019-conversations': conversations,
  '0021-approvals': approvals,
  '0022-log-proofs': logProofs,
  '0023-access-keys': accessKeys,
  '0024-workspaces': workspaces,
  '0025-mcp-sessions': mcpSessions,
  '0026-published-changes': publishedChanges,
  '0027-chat-approvals': chatApprovals,
  '0028-sync-requests': syncRequests,
  '0029-pins-by-version': pinsByVersion,
  '0030-process-versions': processVersions,
  '0031-settings': settings,
  '0032-chat-branches': chatBranches,
  '0033-chat-attachments': chatAttachments,
  '0034-server-switches': serverSwitches,
  '0035-run-steps': runSteps,
  '0036-task-plans': taskPlans,
  '0037-model-usage': modelUsage,
  '0038-inbox': inbox,
  '0039-agent-tags': agentTags,
  '0040-run-calls': runCalls,
  '0041-run-arguments': runArguments,
};

/**
 * Steps that remove or tighten what the previous version still uses and this one does not. They are numbered with the migrations. One
 * runs when no process of an older version is left, or with `zoo migrate --contract`; from then on, older versions refuse the database.
 */
export const contracts: Readonly<Record<string, Migration>> = {};

import { parseWith } from '../../base/validate.ts';
import { type ConfigOption, withHub } from '../../cli/open-hub.ts';
import { recordCommand } from '../../cli/record-command.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../../cli/terminal/context.ts';
import { printTable, shortTime } from '../../cli/terminal/print-table.ts';
import { briefMember, type MemberType, NewMember } from './member.ts';

type Options = ConfigOption & { json?: boolean };

/** `zoo team list`: prints the members. */
export function listMembers(context: CliContext, options: Options): Promise<void> {
  return withHub(context, options, async ({ team }) => {
    const members = await team.members.list();
    if (options.json) return printJson(context, members);
    if (members.length === 0) {
      return printLine(context, 'The team has no members yet. "zoo team add lead --type SUPERVISOR" adds one.');
    }
    const rows = members.map((member) => [
      member.id,
      member.type,
      member.state,
      member.supervisorId ?? '–',
      member.currentTaskId ?? '–',
      shortTime(member.lastActiveAt),
      member.hasToken ? 'yes' : 'no',
      member.agent ?? '–',
    ]);
    printTable(context, ['MEMBER', 'TYPE', 'STATE', 'SUPERVISOR', 'TASK', 'LAST CALL', 'TOKEN', 'AGENT'], rows);
    if (await team.members.believesCallers()) {
      printLine(
        context,
        '\nNo member has a token, so callers are trusted to name their own member. "zoo team token MEMBER" creates a token.',
      );
    }
  });
}

export interface AddOptions extends Options {
  type: MemberType;
  agent?: string;
  supervisor?: string;
  tmux?: string;
  token: boolean;
}

/** `zoo team add`: adds a member and prints its token. */
export function addMember(context: CliContext, id: string | undefined, options: AddOptions): Promise<void> {
  return withHub(context, options, async (hub) => {
    const { type, agent, supervisor: supervisorId, tmux: tmuxSessionName, token: withToken } = options;
    const draft = parseWith(NewMember, { id, type, agent, supervisorId, tmuxSessionName });
    const { member, token } = await hub.team.members.add(draft, { withToken });
    const act = { summary: 'Add a member', target: member.id, after: briefMember(member) };
    await recordCommand(hub, 'zoo team add', act);
    if (options.json) return printJson(context, { member, token });
    printLine(context, `Added ${member.id} as ${member.type}.`);
    if (token !== null) printToken(context, token);
  });
}

/** `zoo team token`: creates or revokes a token. */
export function newToken(context: CliContext, id: string, options: Options & { revoke?: boolean }): Promise<void> {
  return withHub(context, options, async (hub) => {
    const { members } = hub.team;
    const before = briefMember(await members.get(id));
    if (options.revoke) {
      const member = await members.revokeToken(id);
      await recordCommand(hub, 'zoo team token', { summary: 'Revoke the token', target: id, before });
      return options.json ? printJson(context, member) : printLine(context, `Revoked the token of ${member.id}.`);
    }
    const created = await members.makeToken(id);
    await recordCommand(hub, 'zoo team token', { summary: 'Create a new token', target: id, before });
    if (options.json) return printJson(context, created);
    printLine(context, `Created a new token for ${created.member.id}. The previous one no longer works.`);
    printToken(context, created.token);
  });
}

/** `zoo team remove`: removes a member. */
export function removeMember(context: CliContext, id: string, options: Options): Promise<void> {
  return withHub(context, options, async (hub) => {
    const member = await hub.team.members.remove(id);
    const act = { summary: 'Remove a member', target: member.id, before: briefMember(member) };
    await recordCommand(hub, 'zoo team remove', act);
    if (options.json) return printJson(context, member);
    printLine(context, `Removed ${member.id}. Its open tasks are pending again.`);
  });
}

/** `zoo team health`: prints stalled members and waiting tasks. */
export function showHealth(context: CliContext, options: Options & { recover?: boolean }): Promise<void> {
  return withHub(context, options, async (hub) => {
    const { team } = hub;
    const recovery = options.recover ? await team.health.recover() : undefined;
    if (recovery) await recordCommand(hub, 'zoo team health', { summary: 'Recover the team', after: recovery });
    const report = await team.health.check();
    if (options.json) return printJson(context, { ...report, ...(recovery && { recovery }) });
    if (recovery) {
      const { failedMembers, returnedTasks, closedCalls } = recovery;
      printLine(
        context,
        `Recovered. Members failed: ${failedMembers.length}; tasks returned: ${returnedTasks.length}; calls closed: ${closedCalls.length}.`,
      );
    }
    for (const { agentId, reason } of report.members.filter(({ isStalled }) => isStalled)) {
      printLine(context, `${agentId}: ${reason ?? 'stalled'}`);
    }
    for (const { taskId, reason } of report.tasks) printLine(context, `${taskId}: ${reason}`);
    const { dead, pending } = report.deliveries;
    if (dead > 0) printLine(context, `Undelivered events: ${dead}. "zoo team events" lists them.`);
    if (report.isHealthy) printLine(context, `The team is healthy. Events waiting for delivery: ${pending}.`);
  });
}

/** `zoo team events`: prints event deliveries. */
export function listDeliveries(
  context: CliContext,
  options: Options & { state?: 'pending' | 'done' | 'dead'; retry?: string },
): Promise<void> {
  return withHub(context, options, async (hub) => {
    const { team } = hub;
    if (options.retry !== undefined) {
      await team.events.retry(options.retry);
      await recordCommand(hub, 'zoo team events', { summary: 'Retry a failed delivery', target: options.retry });
      return printLine(context, `${options.retry} is due again. A running hub delivers it.`);
    }
    const { items } = await team.events.deliveries({ ...(options.state && { state: options.state }), limit: 50 });
    if (options.json) return printJson(context, items);
    if (items.length === 0)
      return printLine(context, 'No event deliveries yet. Mail creates them for handlers and webhooks.');
    const rows = items.map((each) => [
      each.id,
      each.type,
      each.target,
      each.state,
      String(each.attempts),
      shortTime(each.createdAt),
      each.lastError ?? '',
    ]);
    printTable(context, ['DELIVERY', 'EVENT', 'TO', 'STATE', 'ATTEMPTS', 'SINCE', 'ERROR'], rows);
  });
}

function printToken(context: CliContext, token: string): void {
  const { bold, dim } = colorsFor(context);
  printLine(context, `\n  ${bold(token)}\n`);
  printLine(
    context,
    dim('The token is shown only once; only its hash is stored. Send it as "Authorization: Bearer TOKEN".'),
  );
}

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext } from '../cli/terminal/context.ts';
import { command, configOption, jsonOption, wholeNumber } from '../cli/terminal/options.ts';
import { decisionKinds } from '../tools/decision-log.ts';
import { epicStates, taskStates } from './work/task-moves.ts';

/** Adds `zoo team`, `permissions`, `mail`, `task`, `epic` and `log`. */
export function addTeamCommands(context: CliContext, program: Command): void {
  addTeam(context, program);
  addPermissions(context, program);
  addMail(context, program);
  addTasks(context, program);
  addEpics(context, program);
  addLog(context, program);
}

function addTeam(context: CliContext, program: Command): void {
  const team = program.command('team').description('manage the members of the team').helpCommand(false);
  const load = () => import('./members/members.cli.ts');
  command(team, 'list', 'list members').action(async (options) => (await load()).listMembers(context, options));
  command(team, 'add', 'add a member and print its token')
    .argument('[id]', 'its id (default: derived from the agent or type)')
    .addOption(
      new Option('--type <type>', 'the role of the member')
        .choices(['SUPERVISOR', 'ORCHESTRATOR', 'WORKER'])
        .default('WORKER'),
    )
    .option('--agent <name>', 'the agent it runs')
    .option('--supervisor <member>', 'the member that is told about its failures')
    .option('--tmux <session>', 'the tmux session it runs in')
    .option('--no-token', 'add it without a token')
    .action(async (id, options) => (await load()).addMember(context, id, options));
  command(team, 'token', 'create a new token for a member')
    .argument('<member>')
    .option('--revoke', 'revoke its token instead')
    .action(async (id, options) => (await load()).newToken(context, id, options));
  command(team, 'remove', 'remove a member')
    .argument('<member>')
    .action(async (id, options) => (await load()).removeMember(context, id, options));
  command(team, 'health', 'show stalled members and waiting tasks')
    .option('--recover', 'return the tasks of stalled members and mail their supervisors')
    .action(async (options) => (await load()).showHealth(context, options));
  command(team, 'events', 'list event deliveries')
    .addOption(new Option('--state <state>').choices(['pending', 'done', 'dead']))
    .option('--retry <delivery>', 'retry a dead letter')
    .action(async (options) => (await load()).listDeliveries(context, options));
}

function addPermissions(context: CliContext, program: Command): void {
  const permissions = program.command('permissions').description('show who may call which tool').helpCommand(false);
  const load = () => import('./members/permissions.cli.ts');
  command(permissions, 'check', 'check whether a member may call a tool, and why')
    .argument('<member>')
    .argument('<tool>')
    .action(async (member, tool, options) => (await load()).checkPermission(context, member, tool, options));
  command(permissions, 'matrix', 'print which member types may call which tools').action(async (options) =>
    (await load()).printMatrix(context, options),
  );
}

function addMail(context: CliContext, program: Command): void {
  const mail = program
    .command('mail')
    .description('read and send mail')
    .helpCommand(false)
    .option('--all', 'include mail you have read')
    .option('-n, --limit <number>', 'maximum number of results', wholeNumber)
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options) => (await load()).listMail(context, options));
  const load = () => import('./mail/mail.cli.ts');
  command(mail, 'read', 'read a mail')
    .argument('<mail>')
    .action(async (id, _, self) => (await load()).readMail(context, id, self.optsWithGlobals()));
  command(mail, 'send', 'send a mail to a member')
    .argument('<member>')
    .argument('<subject>')
    .argument('<text>', 'the text; "-" reads it from stdin')
    .action(async (to, subject, body, _, self) =>
      (await load()).sendMail(context, { to, subject, body }, self.optsWithGlobals()),
    );
  command(mail, 'reply', 'reply to a mail')
    .argument('<mail>')
    .argument('<text>', 'the text; "-" reads it from stdin')
    .action(async (id, text, _, self) => (await load()).replyMail(context, id, text, self.optsWithGlobals()));
}

function addTasks(context: CliContext, program: Command): void {
  const task = program.command('task').description('manage the tasks of the team').helpCommand(false);
  const load = () => import('./work/work.cli.ts');
  command(task, 'list', 'list tasks')
    .option('--state <state>', 'only this state; repeat for more', oneOf(taskStates))
    .option('--epic <epic>', 'only tasks of this epic')
    .option('--assignee <member>', 'only tasks of this member')
    .option('--label <label>', 'only tasks with this label')
    .option('--priority <priority>', 'only urgent, high, normal or low tasks')
    .option('--due-by <date>', 'only open tasks that are due on this day, such as 2027-03-31, or before it')
    .option('--text <words>', 'only tasks with all these words in the title')
    .option('--sort <order>', '"change", the last changed first, or "urgency", the most urgent first')
    .option('-n, --limit <number>', 'maximum number of results', wholeNumber)
    .action(async (options) => (await load()).listTasks(context, options));
  command(task, 'show', 'show a task with its comments')
    .argument('<task>')
    .action(async (id, options) => (await load()).showTask(context, id, options));
  command(task, 'create', 'create a task')
    .argument('<title>')
    .option('--description <text>', 'what to do')
    .option('--epic <epic>', 'the epic it belongs to')
    .option('--assignee <member>', 'the member to assign it to')
    .option('--priority <priority>', 'urgent, high, normal or low')
    .option('--due <date>', 'the day by which it should be completed, such as 2027-03-31')
    .option('--label <label>', 'a label; repeat for more', oneMore, [])
    .action(async (title, options) => (await load()).createTask(context, title, options));
  command(task, 'assign', 'assign a task to a member')
    .argument('<task>')
    .argument('[member]', 'omit it to unassign the task')
    .action(async (id, member, options) => (await load()).assignTask(context, id, member ?? null, options));
  command(task, 'move', 'move a task to another state')
    .argument('<task>')
    .argument('<state>', taskStates.join(', '), one(taskStates))
    .option('--comment <text>', 'the reason')
    .action(async (id, state, options) => (await load()).moveTask(context, id, state, options));
  command(task, 'comment', 'comment on a task')
    .argument('<task>')
    .argument('<text>')
    .action(async (id, text, options) => (await load()).commentTask(context, id, text, options));
}

function addEpics(context: CliContext, program: Command): void {
  const epic = program.command('epic').description('manage the epics of the team').helpCommand(false);
  const load = () => import('./work/work.cli.ts');
  command(epic, 'list', 'list epics')
    .option('--state <state>', 'only this state; repeat for more', oneOf(epicStates))
    .action(async (options) => (await load()).listEpics(context, options));
  command(epic, 'create', 'create an epic')
    .argument('<title>')
    .option('--description <text>', 'what the epic is about')
    .option('--linear-id <id>', 'the id of its issue in Linear')
    .option('--linear-url <url>', 'the URL of that issue')
    .action(async (title, options) => (await load()).createEpic(context, title, options));
  command(epic, 'move', 'move an epic to another state')
    .argument('<epic>')
    .argument('<state>', epicStates.join(', '), one(epicStates))
    .action(async (id, state, options) => (await load()).moveEpic(context, id, state, options));
}

function addLog(context: CliContext, program: Command): void {
  const load = () => import('../decisions/decisions.cli.ts');
  const log = program
    .command('log')
    .description('show the decision log, which records every tool call')
    .helpCommand(false)
    .option('-f, --follow', 'keep printing new entries until Ctrl-C')
    .option('--member <member>', 'only calls by this member')
    .option('--tool <tool>', 'only calls to this tool')
    .addOption(new Option('--kind <kind>', 'only entries of this kind').choices([...decisionKinds]))
    .option('--task <task>', 'only calls about this task')
    .option('--call <id>', 'all entries of one call')
    .option('--since <when>', 'a date, a time, or an age such as 30m, 2h or 7d')
    .option('--until <when>')
    .option('--text <text>', 'only entries that contain this text')
    .option('-n, --limit <number>', 'maximum number of results (default: 50)', wholeNumber)
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options) => (await load()).showLog(context, options));
  command(log, 'verify', 'check that no entry was changed or deleted, and say what that proves')
    .option('--key <file>', "a copy of another machine's key; repeat for more", oneMore, [])
    .option('--anchors <file>', 'anchors kept elsewhere, as a webhook received them; repeat for more', oneMore, [])
    .action(async (_, self) => (await load()).verifyLog(context, self.optsWithGlobals()));
  command(log, 'prune', 'delete old entries')
    .requiredOption('--before <when>', 'a date, a time, or an age such as 90d')
    .action(async (_, self) => (await load()).pruneLog(context, self.optsWithGlobals()));
}

function one<T extends string>(known: readonly T[]) {
  return (text: string): T => {
    const match = known.find((each) => each === text.toUpperCase().replaceAll('-', '_'));
    if (match === undefined) throw new InvalidArgumentError(`It must be one of ${known.join(', ')}.`);
    return match;
  };
}

function oneOf<T extends string>(known: readonly T[]) {
  return (text: string, before: readonly T[] = []): T[] => [...before, one(known)(text)];
}

function oneMore(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

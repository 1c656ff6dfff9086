import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext } from '../cli/terminal/context.ts';
import { command, configOption, jsonOption, wholeNumber } from '../cli/terminal/options.ts';
import { epicStates, taskStates } from './work/task-moves.ts';

/** `zoo team`, `permissions`, `mail`, `task`, `epic` and `log`. */
export function addTeamCommands(context: CliContext, program: Command): void {
  addTeam(context, program);
  addPermissions(context, program);
  addMail(context, program);
  addTasks(context, program);
  addEpics(context, program);
  addLog(context, program);
}

function addTeam(context: CliContext, program: Command): void {
  const team = program.command('team').description('the members of the team').helpCommand(false);
  const load = () => import('./members/members.cli.ts');
  command(team, 'list', 'list members').action(async (options) => (await load()).listMembers(context, options));
  command(team, 'add', 'add a member, and print its token')
    .argument('[id]', 'its name (default: made from agent or type)')
    .addOption(
      new Option('--type <type>', 'its role').choices(['SUPERVISOR', 'ORCHESTRATOR', 'WORKER']).default('WORKER'),
    )
    .option('--agent <name>', 'the agent it is an instance of')
    .option('--supervisor <member>', 'who hears of its faults')
    .option('--tmux <session>', 'the tmux session it runs in')
    .option('--no-token', 'make no token')
    .action(async (id, options) => (await load()).addMember(context, id, options));
  command(team, 'token', 'make a new token for a member')
    .argument('<member>')
    .option('--revoke', 'take its token away instead')
    .action(async (id, options) => (await load()).newToken(context, id, options));
  command(team, 'remove', 'remove a member')
    .argument('<member>')
    .action(async (id, options) => (await load()).removeMember(context, id, options));
  command(team, 'health', 'show what is stalled')
    .option('--recover', 'return the tasks of stalled members, and mail who should know')
    .action(async (options) => (await load()).showHealth(context, options));
  command(team, 'events', 'list deliveries of events')
    .addOption(new Option('--state <state>').choices(['pending', 'done', 'dead']))
    .option('--retry <delivery>', 'try a dead letter again')
    .action(async (options) => (await load()).listDeliveries(context, options));
}

function addPermissions(context: CliContext, program: Command): void {
  const permissions = program.command('permissions').description('who may call what').helpCommand(false);
  const load = () => import('./members/permissions.cli.ts');
  command(permissions, 'check', 'say whether a member may call a tool, and by which rule')
    .argument('<member>')
    .argument('<tool>')
    .action(async (member, tool, options) => (await load()).checkPermission(context, member, tool, options));
  command(permissions, 'matrix', 'print types of members × tools').action(async (options) =>
    (await load()).printMatrix(context, options),
  );
}

function addMail(context: CliContext, program: Command): void {
  const mail = program
    .command('mail')
    .description('your mail from the team')
    .helpCommand(false)
    .option('--all', 'also what you have read')
    .option('-n, --limit <number>', 'how many at most', wholeNumber)
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options) => (await load()).listMail(context, options));
  const load = () => import('./mail/mail.cli.ts');
  command(mail, 'read', 'read a mail')
    .argument('<mail>')
    .action(async (id, _, self) => (await load()).readMail(context, id, self.optsWithGlobals()));
  command(mail, 'send', 'write to a member')
    .argument('<member>')
    .argument('<subject>')
    .argument('<text>', '"-" reads it from stdin')
    .action(async (to, subject, body, _, self) =>
      (await load()).sendMail(context, { to, subject, body }, self.optsWithGlobals()),
    );
  command(mail, 'reply', 'answer a mail')
    .argument('<mail>')
    .argument('<text>', '"-" reads it from stdin')
    .action(async (id, text, _, self) => (await load()).replyMail(context, id, text, self.optsWithGlobals()));
}

function addTasks(context: CliContext, program: Command): void {
  const task = program.command('task').description('the tasks of the team').helpCommand(false);
  const load = () => import('./work/work.cli.ts');
  command(task, 'list', 'list tasks')
    .option('--state <state>', 'only these; repeat for more', oneOf(taskStates))
    .option('--epic <epic>', 'only those of this epic')
    .option('--assignee <member>', 'only those of this member')
    .option('-n, --limit <number>', 'how many at most', wholeNumber)
    .action(async (options) => (await load()).listTasks(context, options));
  command(task, 'show', 'show a task with its comments')
    .argument('<task>')
    .action(async (id, options) => (await load()).showTask(context, id, options));
  command(task, 'create', 'make a task')
    .argument('<title>')
    .option('--description <text>', 'what is to be done')
    .option('--epic <epic>', 'the epic it belongs to')
    .option('--assignee <member>', 'who is to do it')
    .action(async (title, options) => (await load()).createTask(context, title, options));
  command(task, 'assign', 'give a task to a member')
    .argument('<task>')
    .argument('[member]', 'leave it out to take the task away')
    .action(async (id, member, options) => (await load()).assignTask(context, id, member ?? null, options));
  command(task, 'move', 'move a task to another state')
    .argument('<task>')
    .argument('<state>', taskStates.join(', '), one(taskStates))
    .option('--comment <text>', 'say why')
    .action(async (id, state, options) => (await load()).moveTask(context, id, state, options));
  command(task, 'comment', 'comment on a task')
    .argument('<task>')
    .argument('<text>')
    .action(async (id, text, options) => (await load()).commentTask(context, id, text, options));
}

function addEpics(context: CliContext, program: Command): void {
  const epic = program.command('epic').description('the epics of the team').helpCommand(false);
  const load = () => import('./work/work.cli.ts');
  command(epic, 'list', 'list epics')
    .option('--state <state>', 'only these; repeat for more', oneOf(epicStates))
    .action(async (options) => (await load()).listEpics(context, options));
  command(epic, 'create', 'make an epic')
    .argument('<title>')
    .option('--description <text>', 'what it is about')
    .option('--linear-id <id>', 'its issue in Linear')
    .option('--linear-url <url>', "that issue's address")
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
    .description('the decision log: every call of every tool')
    .helpCommand(false)
    .option('-f, --follow', 'go on until Ctrl-C with what comes')
    .option('--member <member>', 'only calls of this member')
    .option('--tool <tool>', 'only calls of this tool')
    .addOption(new Option('--kind <kind>').choices(['invocation', 'result', 'error', 'manual']))
    .option('--task <task>', 'only calls about this task')
    .option('--call <id>', 'one call, whole')
    .option('--since <when>', 'a date, a time, or how long ago: 30m, 2h, 7d')
    .option('--until <when>')
    .option('--text <text>', 'only entries with this text')
    .option('-n, --limit <number>', 'how many at most (default: 50)', wholeNumber)
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options) => (await load()).showLog(context, options));
  command(log, 'verify', 'find entries that were changed or deleted').action(async (_, self) =>
    (await load()).verifyLog(context, self.optsWithGlobals()),
  );
  command(log, 'prune', 'delete old entries')
    .requiredOption('--before <when>', 'a date, a time, or how long ago: 90d')
    .action(async (_, self) => (await load()).pruneLog(context, self.optsWithGlobals()));
}

function one<T extends string>(known: readonly T[]) {
  return (text: string): T => {
    const found = known.find((each) => each === text.toUpperCase().replaceAll('-', '_'));
    if (found === undefined) throw new InvalidArgumentError(`It must be one of ${known.join(', ')}.`);
    return found;
  };
}

function oneOf<T extends string>(known: readonly T[]) {
  return (text: string, before: readonly T[] = []): T[] => [...before, one(known)(text)];
}

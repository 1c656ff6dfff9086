import { HubError } from '../../base/hub-error.ts';
import { parseWith } from '../../base/validate.ts';
import { type ConfigOption, withHub } from '../../cli/open-hub.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../../cli/terminal/context.ts';
import { printTable, shortTime } from '../../cli/terminal/print-table.ts';
import { printable, printableLine } from '../../cli/terminal/text-width.ts';
import { human } from '../members/member.ts';
import { type Mail, MailDraft, type MailReceipt, MailReply } from './mail.ts';

type Options = ConfigOption & { json?: boolean };

/** `zoo mail`: lists the user's inbox. */
export function listMail(context: CliContext, options: Options & { all?: boolean; limit?: number }): Promise<void> {
  return withHub(context, options, async ({ team }) => {
    const inbox = await team.mail.inbox(human, { includeRead: options.all ?? false, limit: options.limit ?? 50 });
    if (options.json) return printJson(context, inbox);
    if (inbox.mails.length === 0) {
      return printLine(
        context,
        options.all ? 'You have no mail.' : 'You have no unread mail. "zoo mail --all" lists all mail.',
      );
    }
    const rows = inbox.mails.map((mail) => [
      mail.id,
      mail.isRead ? '' : '●',
      shortTime(mail.createdAt),
      sender(mail),
      mail.subject + (mail.escalation && mail.escalation.count > 1 ? ` (×${mail.escalation.count})` : ''),
    ]);
    printTable(context, ['MAIL', '', 'AT', 'FROM', 'SUBJECT'], rows);
    if (inbox.cursor !== null) printLine(context, '\nMore mails exist. --limit shows up to 100.');
  });
}

/** `zoo mail read ID`: prints a mail and marks it as read. */
export function readMail(context: CliContext, id: string, options: Options): Promise<void> {
  return withHub(context, options, async ({ team, callAsUser }) => {
    const found = await team.mail.get(id);
    const isNew = found.isForHuman && !found.isRead;
    if (isNew) await callAsUser({ surface: 'cli', tool: 'mcp__mail__read', input: { mailId: id } });
    const mail = isNew ? await team.mail.get(id) : found;
    if (options.json) return printJson(context, mail);
    const { bold, dim } = colorsFor(context);
    printLine(context, bold(printableLine(mail.subject)));
    printLine(
      context,
      dim(`from ${sender(mail)} to ${mail.toAgentId ?? 'you'}, ${shortTime(mail.createdAt)}, ${mail.id}`),
    );
    printLine(context, `\n${printable(mail.body)}`);
    if (mail.fromAgentId !== null) printLine(context, dim(`\nTo reply: zoo mail reply ${mail.id} TEXT`));
  });
}

/** `zoo mail send MEMBER SUBJECT TEXT`: sends a mail to a member. */
export function sendMail(
  context: CliContext,
  mail: { to: string; subject: string; body: string },
  options: Options,
): Promise<void> {
  return withHub(context, options, async ({ team, callAsUser }) => {
    // Checked here, because `send` would name the tool's field in its error.
    await team.members.get(mail.to);
    const body = await bodyFrom(context, mail.body);
    const input = parseWith(MailDraft, { toAgentId: mail.to, subject: mail.subject, body });
    const sent = await callAsUser<MailReceipt>({ surface: 'cli', tool: 'mcp__mail__send', input });
    if (options.json) return printJson(context, sent);
    printLine(context, `Sent to ${mail.to} (${sent.mailId}).`);
  });
}

/** `zoo mail reply ID TEXT`: replies to a mail. */
export function replyMail(context: CliContext, id: string, text: string, options: Options): Promise<void> {
  return withHub(context, options, async ({ callAsUser }) => {
    const input = parseWith(MailReply, { originalMailId: id, body: await bodyFrom(context, text) });
    const sent = await callAsUser<MailReceipt>({ surface: 'cli', tool: 'mcp__mail__reply', input });
    if (options.json) return printJson(context, sent);
    printLine(context, `Reply sent (${sent.mailId}).`);
  });
}

const maxBytes = 1_000_000;

/** Reads the body from stdin if the text is `-`. */
async function bodyFrom(context: CliContext, text: string): Promise<string> {
  if (text !== '-') return text;
  let whole = '';
  for await (const chunk of context.stdin) {
    whole += String(chunk);
    if (whole.length > maxBytes) throw new HubError('INVALID_ARGUMENTS', 'The text on stdin is too long for a mail.');
  }
  return whole;
}

function sender({ fromAgentId, fromAgentType }: Mail): string {
  return fromAgentId ?? (fromAgentType === 'HUMAN' ? 'you' : 'the hub');
}

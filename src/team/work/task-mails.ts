import type { Posting } from '../mail/mail.ts';
import { postMail } from '../mail/send-mail.ts';
import { type Actor, actorId, type StoredMember } from '../members/member.ts';
import type { TeamWriter } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';
import type { TaskStep } from './follow-task.ts';
import { reviewerOf, reviewSubject, supervisorOf } from './reviews.ts';
import type { Task } from './work.ts';

export interface TaskNews extends TaskStep {
  actor: Actor;
  comment?: string | undefined;
  isSentBack?: boolean | undefined;
}

type TaskMail = Pick<Posting, 'toAgentId' | 'subject' | 'body'>;

/** Mails everyone concerned about a changed task, except the actor. */
export async function mailTaskNews(
  parts: Pick<TeamParts, 'clock' | 'redact' | 'settings'>,
  rows: TeamWriter,
  news: TaskNews,
): Promise<void> {
  if (!isWorthMailing(news)) return;
  // Reading all at once locks no rows; a mail needs no lock on its recipient.
  const members = await rows.members();
  const self = actorId(news.actor);
  for (const mail of [...mailsToAssignees(news, members), ...mailsToDeciders(news, members)]) {
    if (mail.toAgentId !== self) await postMail(parts, rows, { ...mail, from: news.actor });
  }
}

/** Mails to the present and former assignee. */
function mailsToAssignees(news: TaskNews, members: readonly StoredMember[]): TaskMail[] {
  const { before, after } = news;
  const isMember = (id: string | null) => id !== null && members.some((member) => member.id === id);
  const mails: TaskMail[] = [];
  if (before.assigneeId !== after.assigneeId) {
    if (isMember(before.assigneeId)) {
      mails.push(taskMail(news, before.assigneeId, 'Task taken back', ['You no longer need to work on it.']));
    }
    if (isMember(after.assigneeId)) {
      const begin = `To begin: mcp__task__update_status {"taskId":"${after.id}","status":"IN_PROGRESS"}`;
      mails.push(taskMail(news, after.assigneeId, 'Task assigned', [shorten(after.description), begin]));
    }
    return mails;
  }
  const verdict = verdictOf(news);
  return verdict && isMember(after.assigneeId) ? [taskMail(news, after.assigneeId, ...verdict)] : [];
}

/** Returns the subject and text of a mail to the assignee when someone else moved its task. */
function verdictOf({ before, after, isSentBack }: TaskNews): [subject: string, paragraphs: string[]] | undefined {
  if (before.state === 'REVIEW' && after.state === 'COMPLETED') return ['Task approved', []];
  if (before.state === 'REVIEW' && after.state === 'IN_PROGRESS') {
    return ['Changes requested', ['The task is IN_PROGRESS again. Move it to REVIEW when you are done.']];
  }
  if (after.state === 'BLOCKED' && isSentBack) {
    const resume = `mcp__task__update_status {"taskId":"${after.id}","status":"IN_PROGRESS"}`;
    return ['Changes requested', [`The task is BLOCKED while you work on another one. To resume it: ${resume}`]];
  }
  if (after.state === 'BLOCKED') return ['Task blocked', []];
  return after.state === 'FAILED' ? ['Task failed', []] : undefined;
}

/** Mails to those who decide: a review goes to the task's creator, trouble to the supervisor, and otherwise to the user. */
function mailsToDeciders(news: TaskNews, members: readonly StoredMember[]): TaskMail[] {
  const { before, after } = news;
  if (before.state === after.state || news.isSentBack) return [];
  if (after.state === 'REVIEW') {
    const decide =
      'To decide: mcp__epic__approve_task or mcp__epic__request_changes, or the Team board in the web app.';
    return [taskMail(news, reviewerOf(after, members), reviewSubject, [decide])];
  }
  if (after.state === 'BLOCKED') return [taskMail(news, supervisorOf(after, members), 'Task blocked', [])];
  return after.state === 'FAILED' ? [taskMail(news, supervisorOf(after, members), 'Task failed', [])] : [];
}

function isWorthMailing({ before, after }: TaskNews): boolean {
  if (before.assigneeId !== after.assigneeId) return true;
  return before.state !== after.state && (before.state === 'REVIEW' || reportedStates.includes(after.state));
}

const reportedStates: readonly Task['state'][] = ['REVIEW', 'BLOCKED', 'FAILED'];

function taskMail(news: TaskNews, toAgentId: string | null, subject: string, paragraphs: readonly string[]): TaskMail {
  const { after, comment } = news;
  const facts = [
    `Task: ${after.id}`,
    ...(after.epicId === null ? [] : [`Epic: ${after.epicId}`]),
    ...(after.assigneeId === null || after.assigneeId === toAgentId ? [] : [`Assignee: ${after.assigneeId}`]),
    ...(after.branchName === null ? [] : [`Branch: ${after.branchName}`]),
    ...(after.prUrl === null ? [] : [`Pull request: ${after.prUrl}`]),
  ];
  const body = [after.title, facts.join('\n'), comment === undefined ? '' : shorten(comment), ...paragraphs];
  return { toAgentId, subject: `${subject}: ${after.title}`, body: body.filter((text) => text !== '').join('\n\n') };
}

const maxQuoted = 4_000;

function shorten(text: string): string {
  return text.length <= maxQuoted ? text : `${text.slice(0, maxQuoted)}…\n(${text.length} characters in all)`;
}

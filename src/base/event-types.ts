/** The events that a webhook can choose, and what each says. */
export const eventTypes = { 'mail.sent': 'A mail was sent in the team, or to you' } as const;
export type EventType = keyof typeof eventTypes;

/** What the webhook that `[log] anchor_webhook` names receives, whatever events it chooses. A list of events may name it. */
export const anchorEvent = 'log.anchored';

export function isEventType(text: string): boolean {
  return Object.hasOwn(eventTypes, text);
}

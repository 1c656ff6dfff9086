/** Names a day as the hub counts usage: in UTC. */
export const dayFormat = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Stands for the user where members have their id, in the log and on the wire. No member can have it. */
export const userId = 'HUMAN';

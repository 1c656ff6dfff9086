/** Starts what several test files share. Parts are added by the rooms that need them. */
export async function setup(): Promise<void> {}

const maxCharacters = 60;

/** Returns a title from the first words of a message. */
export function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.replace(/\s+/g, ' ').trim() ?? '';
  if (line.length <= maxCharacters) return line;
  const space = line.lastIndexOf(' ', maxCharacters - 1);
  const end = space > maxCharacters / 2 ? space : maxCharacters - 1;
  return `${line.slice(0, end).toWellFormed()}…`;
}

/** Returns a title such as `test-book_flight-2026-11-16T09:05:11`, in local time. */
export function testTitle(tool: string, now: number): string {
  const local = new Date(now);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${local.getFullYear()}-${two(local.getMonth() + 1)}-${two(local.getDate())}`;
  return `test-${tool}-${day}T${two(local.getHours())}:${two(local.getMinutes())}:${two(local.getSeconds())}`;
}

export function BoardScreen() {
  return null;
}

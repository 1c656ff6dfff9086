export function TeamLayout() {
  return null;
}

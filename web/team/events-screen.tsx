export function EventsScreen() {
  return null;
}

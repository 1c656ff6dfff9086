/** A drawn card. */
export interface DrawnCard {
  id: string;
  /** The position of its top edge. */
  top: number;
}

/** Returns the card that the left or right arrow key leads to: the nearest one in the next non-empty column. */
export function cardBeside(columns: readonly (readonly DrawnCard[])[], id: string, key: string): string | undefined {
  const columnIndex = columns.findIndex((cards) => cards.some((card) => card.id === id));
  const card = columns[columnIndex]?.find((each) => each.id === id);
  if (!card) return undefined;
  switch (key) {
    case 'ArrowLeft':
      return nearest(columns.slice(0, columnIndex).reverse(), card);
    case 'ArrowRight':
      return nearest(columns.slice(columnIndex + 1), card);
    default:
      return undefined;
  }
}

function nearest(columns: readonly (readonly DrawnCard[])[], from: DrawnCard): string | undefined {
  const column = columns.find((cards) => cards.length > 0) ?? [];
  const distance = (card: DrawnCard) => Math.abs(card.top - from.top);
  return column.toSorted((a, b) => distance(a) - distance(b))[0]?.id;
}

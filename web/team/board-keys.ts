interface Card {
  id: string;
}

/** The card an arrow key leads to: up and down in its column, left and right to the next column that has any. */
export function cardBeside<C extends Card>(columns: readonly (readonly C[])[], id: string, key: string): C | undefined {
  const columnIndex = columns.findIndex((cards) => cards.some((card) => card.id === id));
  const column = columns[columnIndex];
  if (!column) return undefined;
  const index = column.findIndex((card) => card.id === id);
  switch (key) {
    case 'ArrowUp':
      return column[index - 1];
    case 'ArrowDown':
      return column[index + 1];
    case 'Home':
      return column[0];
    case 'ArrowLeft':
      return nearest(columns.slice(0, columnIndex).reverse(), index);
    case 'ArrowRight':
      return nearest(columns.slice(columnIndex + 1), index);
    default:
      return undefined;
  }
}

function nearest<C extends Card>(columns: readonly (readonly C[])[], index: number): C | undefined {
  const column = columns.find((cards) => cards.length > 0);
  return column?.[Math.min(index, column.length - 1)];
}

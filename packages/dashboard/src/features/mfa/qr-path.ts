/** The dark modules of a QR code, row by row; 1 is dark. */
export interface Modules {
  readonly size: number;
  readonly data: ArrayLike<number>;
}

/** One SVG path over the dark modules, one unit each, offset by `margin` units. */
export function qrPath({ size, data }: Modules, margin: number): string {
  let path = "";
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      if (!data[y * size + x]) continue;
      const start = x;
      while (x < size && data[y * size + x]) x += 1;
      path += `M${start + margin} ${y + margin}h${x - start}v1h${start - x}z`;
    }
  }
  return path;
}

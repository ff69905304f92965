/** A 16 px outline icon of the sprite that the page carries (ui/sprite.svg), without its `i-` prefix. */
export function Icon({ name, className }: { name: string; className?: string }) {
  return (
    <svg className={className ? `i ${className}` : "i"} width="16" height="16" aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  );
}

/** A 12 px glyph: the shape of a state. */
export function Glyph({ name, className }: { name: string; className?: string | undefined }) {
  return (
    <svg className={className ? `g ${className}` : "g"} width="12" height="12" aria-hidden="true">
      <use href={`#g-${name}`} />
    </svg>
  );
}

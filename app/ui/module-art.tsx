/** By digit: five rows of three modules, each row a number from 0 to 7 with its highest bit on the left. */
const DIGITS: Record<string, string> = {
  '0': '75557',
  '1': '26227',
  '2': '71747',
  '3': '71717',
  '4': '55711',
  '5': '74717',
  '6': '74757',
  '7': '71111',
  '8': '75757',
  '9': '75717',
};

/** A decorative picture of 8 × 8 modules: two hexadecimal digits per row, the highest bit on the left. */
export function ModulePicture({ rows }: { rows: string }) {
  const bits = Array.from({ length: 8 }, (_, row) => Number.parseInt(rows.slice(row * 2, row * 2 + 2), 16));
  return (
    <svg className="modules" viewBox="0 0 8 8" width="64" height="64" aria-hidden="true">
      <path d={pathOf(bits, 8, 0)} />
    </svg>
  );
}

/** A number whose digits are 3 × 5 modules. Decorative, next to a text that says it. */
export function ModuleDigits({ value }: { value: string }) {
  const width = value.length * 4 - 1;
  const path = [...value].map((digit, position) => {
    const rows = [...(DIGITS[digit] ?? '')].map(Number);
    return pathOf(rows, 3, position * 4);
  });
  return (
    <svg
      className="modules digits"
      viewBox={`0 0 ${width} 5`}
      width={width * 8}
      height="40"
      aria-hidden="true"
    >
      <path d={path.join('')} />
    </svg>
  );
}

function pathOf(rows: number[], width: number, left: number): string {
  let path = '';
  for (const [y, bits] of rows.entries()) {
    for (let x = 0; x < width; x++) {
      let run = 0;
      while (x + run < width && bits & (1 << (width - 1 - x - run))) run++;
      if (run > 0) path += `M${left + x} ${y}h${run}v1h-${run}z`;
      x += run;
    }
  }
  return path;
}

/** The logo of the product: the finder pattern of a QR code. Decorative, next to the name. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 7 7" width="28" height="28" aria-hidden="true">
      <path d="M0 0h7v7H0zM1 1v5h5V1z" />
      <path d="M2 2h3v3H2z" />
    </svg>
  );
}

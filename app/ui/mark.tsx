/** The logo of the product: the finder pattern of a QR code. Decorative, next to the name. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 7 7" width="28" height="28" aria-hidden="true">
      <path d="M0 0h7v7H0zM1 1v5h5V1z" />
      <path d="M2 2h3v3H2z" />
    </svg>
  );
}

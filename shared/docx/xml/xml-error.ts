/** Why text is not taken as XML. `complex`: well-formed so far, but beyond a limit. */
export class XmlError extends Error {
  readonly reason: 'malformed' | 'complex';

  constructor(reason: 'malformed' | 'complex', message: string) {
    super(message);
    this.name = 'XmlError';
    this.reason = reason;
  }
}

/** The form in which names and addresses are compared: case, blanks around and normal forms of Unicode make no other. */
export const foldedName = (text: string): string => text.trim().toLowerCase().normalize('NFC');

/** The web application that may call the platform under test. */
export const allowedOrigin = 'https://app.example.com';

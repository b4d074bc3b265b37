const GREETINGS: Record<string, string> = { en: "Hello", fr: "Bonjour" };

/** Greets somebody in a language; in English where the language is not known. */
export function greet(name: string, language = "en"): string {
  const word: string | undefined = GREETINGS[language];
  return `${word ?? "Hello"}, ${name}!`;
}

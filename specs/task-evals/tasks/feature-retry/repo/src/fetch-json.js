/**
 * Asks a service for a JSON document.
 *
 * @param {string} url
 * @param {{get: (url: string) => Promise<{status: number, body: string}>}} options `get` makes the request
 * @returns {Promise<unknown>} the document
 * @throws {Error} the request failed, or its status is not 200
 */
export async function fetchJson(url, options) {
  const { status, body } = await options.get(url);
  if (status !== 200) throw new Error(`${url}: status ${status}`);
  return JSON.parse(body);
}

// An MCP server over stdio with one tool: it hands out what holds throughout the repository in whose folder it was started.
// Nothing is installed for it. The guides lie beside it; the heading of the repository's README says which one is meant.
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const TOOL = {
  name: "shared_context",
  description: "What holds throughout this repository, as its authors know it. Ask before you change something.",
  inputSchema: { type: "object", properties: {} },
};

function context() {
  const heading = existsSync("README.md") ? readFileSync("README.md", "utf8").split("\n", 1)[0] : "";
  const name = /^# ([a-z]+)$/.exec(heading)?.[1];
  const guide = name && new URL(`./${name}.md`, import.meta.url);
  return guide && existsSync(guide) ? readFileSync(guide, "utf8") : "Nothing is known of this repository.";
}

function answer(method, params) {
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "context", version: "1" },
        },
      };
    case "tools/list":
      return { result: { tools: [TOOL] } };
    case "tools/call":
      if (params.name !== TOOL.name) return { error: { code: -32602, message: `no tool ${params.name}` } };
      return { result: { content: [{ type: "text", text: context() }] } };
    case "ping":
      return { result: {} };
    default:
      return { error: { code: -32601, message: `no method ${method}` } };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  if (!line.trim()) continue;
  const { id, method, params = {} } = JSON.parse(line);
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer(method, params) })}\n`);
}

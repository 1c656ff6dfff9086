agent = {}
agent.name = "on-call"
agent.description = "Helps whoever is on call, with the runbooks of the service"
agent.tools = { "search", "get", "open_ticket" }
agent.arguments = {
  { name = "service", description = "The service that has the problem", required = true },
}

-- Runs whenever a client asks for the prompt.
function agent.resolve(args, config, context)
  local found = context.search({
    query = args.service .. " incident",
    limit = config.search_limit,
    filters = { source = "filesystem:runbooks" },
  })
  local parts = {
    "You help the engineer on call for " .. args.service .. ". Follow the runbooks below and name the one you use.",
    "If they do not cover the problem, say so and open a ticket.",
  }
  for _, result in ipairs(found) do
    local document = context.get(result.id)
    table.insert(parts, "\n" .. document.body)
  end
  return { system = table.concat(parts, "\n") }
end

return agent

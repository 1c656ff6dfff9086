tool = {}
tool.name = "open_ticket"
tool.description = "Opens a ticket and returns its key. Use it when a person has to follow up."
tool.parameters = {
  { name = "title", type = "string", description = "One line that says what is wrong", required = true },
  { name = "severity", type = "string", description = "How bad it is", enum = { "low", "high" }, default = "low" },
}

-- A real tool would send this with http.post; allow_hosts and allow_env in zoo.toml say what it may reach.
function tool.execute(params, context)
  log.info("opening a ticket: " .. params.title)
  return { key = context.config.project .. "-1", title = params.title, severity = params.severity }
end

return tool

function agent.resolve()
  return { messages = { "first", role = "user" } }
end

function agent.resolve()
  local result = { system = "x", messages = {} }
  result.messages[1] = { parent = result }
  return result
end

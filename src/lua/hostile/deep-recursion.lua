local function deeper(level)
  return 1 + deeper(level + 1)
end
function agent.resolve()
  return { system = tostring(deeper(1)) }
end

local function deeper()
  local fine, reason = pcall(deeper)
  if not fine then error(reason, 0) end
  return 1 + 1
end
function agent.resolve()
  deeper()
end
